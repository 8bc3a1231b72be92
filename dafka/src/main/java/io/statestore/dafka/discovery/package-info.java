/**
 * Discovery of other nodes through towers, and connections to them. Internal: not part of
 * the API.
 */
@NullMarked
package io.statestore.dafka.discovery;

import org.jspecify.annotations.NullMarked;
