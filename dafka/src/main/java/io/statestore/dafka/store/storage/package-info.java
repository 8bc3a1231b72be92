/**
 * What a store keeps, as blocks of records in an embedded key-value engine.
 */
@NullMarked
package io.statestore.dafka.store.storage;

import org.jspecify.annotations.NullMarked;
