/**
 * The table of contents of the system: every component's gateway with the messages it takes, in one
 * file each. Read in this order: {@link io.millrace.protocol.DispatcherGateway} takes a job, {@link
 * io.millrace.protocol.JobMasterGateway} runs it, {@link
 * io.millrace.protocol.ResourceManagerGateway} finds slots for it at the {@link
 * io.millrace.protocol.TaskManagerGateway}s, which fetch graph and jars through the {@link
 * io.millrace.protocol.BlobGateway}.
 *
 * <p>The life of a job in messages: {@code SubmitJob} → {@code RegisterJobMaster}, {@code
 * DeclareRequirements} → {@code RegisterTaskManager}, {@code SlotReport} → {@code RequestSlot} →
 * {@code RegisterAtJobMaster}, {@code OfferSlots} → {@code DeployTasks} → {@code TaskUpdates}.
 *
 * <p>{@link io.millrace.protocol.Messages} lists every class that may cross a process boundary;
 * nothing else is decoded.
 */
package io.millrace.protocol;
