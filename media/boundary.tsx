import { Component } from 'preact';
import type { ComponentChildren } from 'preact';
import { useServices } from './services.ts';
import type { Services } from './services.ts';

interface BoundaryProps {
  /** For the log. */
  readonly what: string;
  fallback(retry: () => void): ComponentChildren;
  /** What is drawn. When it is another one than the one that failed, drawing is tried again. */
  readonly subject?: unknown;
  readonly children?: ComponentChildren;
}

interface Failure {
  readonly failed: boolean;
  readonly subject?: unknown;
}

/** Keeps a failure of its children to itself: shows `fallback`, and tells the host's log. */
export function Boundary(props: BoundaryProps) {
  return <Catcher {...props} services={useServices()} />;
}

class Catcher extends Component<BoundaryProps & { readonly services: Services }, Failure> {
  override state: Failure = { failed: false };

  override componentDidCatch(error: unknown): void {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.props.services.post({ type: 'log', level: 'error', text: `${this.props.what}: ${text}`.slice(0, 10_000) });
    this.setState({ failed: true, subject: this.props.subject });
  }

  override render(): ComponentChildren {
    const { failed, subject } = this.state;
    if (failed && subject === this.props.subject) return this.props.fallback(() => this.setState({ failed: false }));
    return this.props.children;
  }
}
