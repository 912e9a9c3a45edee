import { crc32 } from 'node:zlib';

/**
 * A sample of Content Credentials (C2PA): one manifest whose signature names a made-up signer and time. It seals no
 * picture in particular; who checks signatures has to refuse it.
 */
const MANIFEST = Buffer.from(
  'AAACpWp1bWIAAAAeanVtZAEBAQEBAQEBAQEBAQEBAQEDYzJwYQAAAAJ/anVtYgAAACtqdW1kAQEBAQEBAQEBAQEBAQEBAQN1cm46YzJwYTow' +
    'YjJmOGYxZQAAAAA1anVtYgAAACRqdW1kAQEBAQEBAQEBAQEBAQEBAQNjMnBhLmNsYWltAAAAAAljYm9yoAAAAhdqdW1iAAAAKGp1bWQBAQEB' +
    'AQEBAQEBAQEBAQEBA2MycGEuc2lnbmF0dXJlAAAAAedjYm9y0oRZAViiASYZACFZAU8wggFLMIHyoAMCAQICDQFiQN1v7/CrlEXuPGEwCgYI' +
    'KoZIzj0EAwIwHTEbMBkGA1UEAwwSTG9vcGRvY2sgU2ltdWxhdG9yMCIYDzIwMjYxMTMwMDU0MTM2WhgPMjAyNzEyMDEwNTQxMzZaMB0xGzAZ' +
    'BgNVBAMMEkxvb3Bkb2NrIFNpbXVsYXRvcjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABK4M0ICS/J2cnXiYgDpD21OuuMDbt42iCbNfAIFU' +
    'Dz9cqG5rfXgYrbJVoykoCQGZF18kaqN/anIpyqFB/uL9k6WjEzARMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIhAIxueE3W' +
    'IzhEH1vxww5qUMhyWCeY6FbKchdKX4IAbx8PAiAysGhleC4z/pKSKQULZN9jxydW1VjA5EpvVSiJ+Hd8a6Fmc2lnVHN0oWl0c3RUb2tlbnOB' +
    'oWN2YWxZACIGCyqGSIb3DQEJEAEEoIAEgBgPMjAyNjEyMDEwMDAwMDBa9lkAQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' +
    'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=',
  'base64',
);

const HEADER_END = 33;

/** A PNG as the API hands it out: with Content Credentials, and so larger than it was in the container. */
export function withCredentials(png: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from('caBX'), MANIFEST]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(MANIFEST.length, 0);
  ends.writeUInt32BE(crc32(body), 4);
  const chunk = Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
  return Buffer.concat([png.subarray(0, HEADER_END), chunk, png.subarray(HEADER_END)]);
}

export function isPng(bytes: Buffer): boolean {
  return bytes.length > HEADER_END && bytes.subarray(0, 8).equals(Buffer.from('89504e470d0a1a0a', 'hex'));
}
