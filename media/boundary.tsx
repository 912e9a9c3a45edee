import { Component } from 'preact';
import type { ComponentChildren } from 'preact';
import { useServices } from './services.ts';
import type { Services } from './services.ts';

interface BoundaryProps {
  /** For the log. */
  readonly what: string;
  fallback(retry: () => void): ComponentChildren;
  readonly children?: ComponentChildren;
}

/** Keeps a failure of its children to itself: shows `fallback`, and tells the host's log. */
export function Boundary(props: BoundaryProps) {
  return <Catcher {...props} services={useServices()} />;
}

class Catcher extends Component<BoundaryProps & { readonly services: Services }, { failed: boolean }> {
  override state = { failed: false };

  override componentDidCatch(error: unknown): void {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.props.services.post({ type: 'log', level: 'error', text: `${this.props.what}: ${text}`.slice(0, 10_000) });
    this.setState({ failed: true });
  }

  override render(): ComponentChildren {
    if (this.state.failed) return this.props.fallback(() => this.setState({ failed: false }));
    return this.props.children;
  }
}
