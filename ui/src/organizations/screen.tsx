// SPDX-License-Identifier: Apache-2.0

import { place } from "../url";
import { Detail } from "./detail";
import { List } from "./list";
import "../form/form.css";

/** Organizations, their environments and keys: for the operator, who sees no spans. */
export function OrganizationsScreen() {
  const id = place.value.path[1];
  return id === undefined ? <List /> : <Detail key={id} id={id} />;
}
