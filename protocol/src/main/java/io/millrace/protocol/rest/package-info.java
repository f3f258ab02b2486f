/**
 * Documents of REST that the server writes and the client reads. They are no messages: no component
 * of the cluster sends them to another one.
 */
package io.millrace.protocol.rest;
