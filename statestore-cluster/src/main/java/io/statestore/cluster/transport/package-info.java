/**
 * Transport between the nodes of a cluster: messages of JRaft over mutual TLS. A peer
 * cannot choose the class that its bytes are parsed as.
 */
@NullMarked
package io.statestore.cluster.transport;

import org.jspecify.annotations.NullMarked;
