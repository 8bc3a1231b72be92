/**
 * Storage of records, as blocks in an embedded key-value engine. Internal: not part of
 * the API.
 */
@NullMarked
package io.statestore.dafka.store.storage;

import org.jspecify.annotations.NullMarked;
