/**
 * Transport between a cluster's nodes: JRaft messages over mutual TLS. A peer cannot
 * choose the class that its bytes are parsed as.
 */
@NullMarked
package io.statestore.cluster.transport;

import org.jspecify.annotations.NullMarked;
