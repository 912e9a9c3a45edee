import { fakeEditPort } from '../../support/fakeEditPort.ts';
import { editPortContract } from './editPortContract.ts';

suite('the fake edit port', () => {
  editPortContract(() => {
    const port = fakeEditPort();
    return Promise.resolve({
      port,
      put: (path, text) => Promise.resolve(void port.files.set(path, { text })),
      remove: (path) => Promise.resolve(void port.files.delete(path)),
      saved: (path) => Promise.resolve(port.files.get(path)?.text),
    });
  });
});
