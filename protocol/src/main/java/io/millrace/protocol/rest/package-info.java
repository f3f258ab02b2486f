/**
 * REST documents that the server writes and the client reads. They are not messages between
 * components of the cluster.
 */
package io.millrace.protocol.rest;
