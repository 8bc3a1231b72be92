/**
 * History of a state store: a journal that the broker writes, and a Dafka topic that any
 * node can read. See {@link io.statestore.history.HistoryJournal} and
 * {@link io.statestore.history.StateHistory}.
 */
@NullMarked
package io.statestore.history;

import org.jspecify.annotations.NullMarked;
