/**
 * Sockets that withstand peers that violate ZMTP or exhaust memory.
 */
@NullMarked
package io.statestore.dafka.zmtp;

import org.jspecify.annotations.NullMarked;
