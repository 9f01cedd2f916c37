// Which device a prediction is for.

import type { Source } from "../../source";
import { useDevices } from "../roofline/device";

/** The device of predictions if nobody chose one. */
export const DEFAULT_DEVICE = "nvidia-h100-sxm";

/** `none` is what no device is called, where that is a choice. */
export function DeviceField({ source, title, label, device, none, choose }: { source: Source; title: string; label: string; device: string; none?: string; choose(id: string): void }) {
  const devices = useDevices(source);
  return (
    <label class="field">
      <span class="quiet">{title}</span>
      <select value={device} aria-label={label} onChange={(event) => choose(event.currentTarget.value)}>
        {none === undefined ? null : <option value="">{none}</option>}
        {device === "" || devices.some((one) => one.id === device) ? null : <option>{device}</option>}
        {devices.map((one) => (
          <option key={one.id} value={one.id}>
            {one.name}
          </option>
        ))}
      </select>
    </label>
  );
}
