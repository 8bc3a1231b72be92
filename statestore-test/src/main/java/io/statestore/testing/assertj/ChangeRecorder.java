package io.statestore.testing.assertj;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

import io.statestore.client.KeyChange;
import io.statestore.client.KeyChangeListener;
import org.assertj.core.api.AssertProvider;

/**
 * Listener that records changes for assertions. Both
 * {@link StateStoreAssertions#assertThat(ChangeRecorder)} and AssertJ's own method accept
 * it. Thread-safe. <pre>{@code
 * ChangeRecorder<String> recorder = new ChangeRecorder<>();
 * store.watch("press-1/setpoint", String.class, recorder);
 * …
 * assertThat(recorder).receives("180").receives("190").receivesDeletion();
 * }</pre>
 *
 * @param <T> type of the values
 */
public final class ChangeRecorder<T> implements KeyChangeListener<T>, AssertProvider<ChangeRecorderAssert<T>> {

	private final BlockingQueue<KeyChange<T>> changes = new LinkedBlockingQueue<>();

	/** Creates a recorder without changes. */
	public ChangeRecorder() {
	}

	@Override
	public void onChange(KeyChange<T> change) {
		this.changes.add(change);
	}

	/** Drops the recorded changes, for example those caused by a reset. */
	public void clear() {
		this.changes.clear();
	}

	BlockingQueue<KeyChange<T>> changes() {
		return this.changes;
	}

	@Override
	public ChangeRecorderAssert<T> assertThat() {
		return new ChangeRecorderAssert<>(this);
	}

}
