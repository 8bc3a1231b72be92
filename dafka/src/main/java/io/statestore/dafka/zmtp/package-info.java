/**
 * Sockets that withstand peers that violate ZMTP (RFC 23 and 37) or exhaust memory.
 */
@NullMarked
package io.statestore.dafka.zmtp;

import org.jspecify.annotations.NullMarked;
