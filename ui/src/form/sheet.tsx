// SPDX-License-Identifier: Apache-2.0

import type { ComponentChildren, RefObject } from "preact";

/** A form, and a preview of its result next to it. */
export function Sheet(props: { form: RefObject<HTMLFormElement | null>; onSubmit: () => void; fields: ComponentChildren; children: ComponentChildren }) {
  return (
    <div class="beside">
      <form
        ref={props.form}
        class="monitor-form"
        onSubmit={(e) => {
          e.preventDefault();
          props.onSubmit();
        }}
      >
        {props.fields}
      </form>
      {props.children}
    </div>
  );
}
