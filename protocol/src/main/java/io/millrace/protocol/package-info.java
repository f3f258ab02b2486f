/**
 * The gateways of all components with their messages, one file each. Read them in this order:
 * {@link io.millrace.protocol.DispatcherGateway} accepts a job, {@link
 * io.millrace.protocol.JobMasterGateway} runs it, {@link
 * io.millrace.protocol.ResourceManagerGateway} allocates slots at the {@link
 * io.millrace.protocol.TaskManagerGateway}s, which fetch graph and jars through the {@link
 * io.millrace.protocol.BlobGateway}. {@link io.millrace.protocol.ProcessGateway} looks into a
 * process, for people.
 *
 * <p>The messages in the life of a job: {@code SubmitJob} → {@code RegisterJobMaster}, {@code
 * DeclareRequirements} → {@code RegisterTaskManager}, {@code SlotReport} → {@code RequestSlot} →
 * {@code RegisterAtJobMaster}, {@code OfferSlots} → {@code DeployTasks} → {@code TaskUpdates}.
 *
 * <p>{@link io.millrace.protocol.Messages} lists all classes that cross a process boundary; nothing
 * else is decoded.
 */
package io.millrace.protocol;
