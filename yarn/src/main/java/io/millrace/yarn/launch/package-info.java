/**
 * The contract between a client and the JobManager that it starts on YARN: the paths in a container
 * ({@link io.millrace.yarn.launch.ContainerLayout}), the files that are staged for containers
 * ({@link io.millrace.yarn.launch.StagedFile}), the files of a single container ({@link
 * io.millrace.yarn.launch.SecretFiles}), what a process unpacks at its start ({@link
 * io.millrace.yarn.launch.ContainerFiles}), and the launch of a container ({@link
 * io.millrace.yarn.launch.ContainerLaunch}). Only these two sides use it.
 */
package io.millrace.yarn.launch;
