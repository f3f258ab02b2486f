/**
 * Resources of slots. {@link io.millrace.api.resource.SlotSharingGroup} declares them for
 * operators. External resources are devices such as GPUs: functions see those of their slot as
 * {@link io.millrace.api.resource.ExternalResourceInfo}, and an {@link
 * io.millrace.api.resource.ExternalResourceDriver} discovers them.
 */
package io.millrace.api.resource;
