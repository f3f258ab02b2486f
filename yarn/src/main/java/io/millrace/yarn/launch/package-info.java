/**
 * What a client of YARN and the JobManager that it starts there agree on: where a container finds
 * its files ({@link io.millrace.yarn.launch.ContainerLayout}), which files were staged for the
 * containers to come ({@link io.millrace.yarn.launch.StagedFile}), which are for one of them alone
 * ({@link io.millrace.yarn.launch.SecretFiles}), and how a container is launched ({@link
 * io.millrace.yarn.launch.ContainerLaunch}). Both sides use it, and nobody else.
 */
package io.millrace.yarn.launch;
