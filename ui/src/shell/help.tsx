// SPDX-License-Identifier: Apache-2.0

import { texts } from "../texts";
import { Dialog } from "./dialog";
import { setSingleKeys, singleKeys } from "./settings";

const t = texts.keys;

/** Lists the keys, and lets single ones be switched off. */
export function Help(props: { onClose: () => void }) {
  return (
    <Dialog title={t.title} onClose={props.onClose}>
      <dl class="keys">
        {t.list.map(([keys, does]) => (
          <div key={keys}>
            <dt>
              {keys.split(" ").map((k) => (
                <kbd key={k}>{k}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <label class="check">
        <input type="checkbox" checked={singleKeys.value} onChange={(e) => setSingleKeys(e.currentTarget.checked)} />
        {t.single}
      </label>
      <button onClick={props.onClose}>{t.close}</button>
    </Dialog>
  );
}
