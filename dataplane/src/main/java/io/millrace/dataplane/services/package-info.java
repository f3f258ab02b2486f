/**
 * Services that tasks share: {@link io.millrace.dataplane.services.DataPlaneServices} those of the
 * process, {@link io.millrace.dataplane.services.DeploymentContext} those of one deployment. Both
 * are immutable.
 */
package io.millrace.dataplane.services;
