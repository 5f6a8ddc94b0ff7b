// SPDX-License-Identifier: Apache-2.0

import { Component, type ComponentChildren } from "preact";
import { texts } from "../texts";

/** Keeps the shell when a screen stops working. */
export class Boundary extends Component<{ children: ComponentChildren }, { failed: boolean }> {
  override state = { failed: false };

  static override getDerivedStateFromError() {
    return { failed: true };
  }

  override render() {
    if (!this.state.failed) return this.props.children;
    return (
      <div class="notice" role="alert">
        <p>{texts.crashed}</p>
        <button onClick={() => this.setState({ failed: false })}>{texts.tryAgain}</button>
      </div>
    );
  }
}
