import type { ComponentChildren } from 'preact';
import type { ViewState } from '../src/protocol/messages.ts';
import type { NoticeAction } from '../src/protocol/rows.ts';
import { Icon } from './icon.tsx';
import { useServices } from './services.ts';

/** What holds for the whole view, in one line each. */
export function Banners({ state }: { readonly state: ViewState }) {
  const { strings } = useServices();
  const needsKey = !state.hasKey && !state.simulated;
  if (!state.simulated && state.trusted && !state.readOnly && !needsKey) return null;
  return (
    <div class="banners">
      {state.simulated && (
        <Banner icon="beaker" kind="info">
          {strings.simulatedBanner}
        </Banner>
      )}
      {!state.trusted && (
        <Banner icon="shield" kind="warning" actions={<BannerAction id="manageTrust" label={strings.manageTrust} />}>
          {strings.untrustedBanner}
        </Banner>
      )}
      {state.readOnly && (
        <Banner icon="lock" kind="warning">
          {strings.readOnlyBanner}
        </Banner>
      )}
      {needsKey && (
        <Banner
          icon="key"
          kind="info"
          actions={
            <>
              <BannerAction id="setApiKey" label={strings.setApiKey} primary />
              <BannerAction id="startDemo" label={strings.startDemo} />
            </>
          }
        >
          {strings.noKeyBanner}
        </Banner>
      )}
    </div>
  );
}

interface BannerProps {
  readonly icon: string;
  readonly kind: 'info' | 'warning';
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

function Banner({ icon, kind, actions, children }: BannerProps) {
  return (
    <div class={`banner banner-${kind}`}>
      <Icon name={icon} />
      <span class="banner-text">{children}</span>
      {actions && <span class="banner-actions">{actions}</span>}
    </div>
  );
}

interface BannerActionProps {
  readonly id: NoticeAction['id'];
  readonly label: string;
  readonly primary?: boolean;
}

/** The host knows an action of a banner by the notice id `banner`. */
function BannerAction({ id, label, primary }: BannerActionProps) {
  const { post } = useServices();
  return (
    <button
      type="button"
      class={primary ? 'button' : 'button button-secondary'}
      onClick={() => post({ type: 'notice/action', id: 'banner', action: id })}
    >
      {label}
    </button>
  );
}
