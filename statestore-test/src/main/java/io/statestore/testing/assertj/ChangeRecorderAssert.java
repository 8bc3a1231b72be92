package io.statestore.testing.assertj;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.statestore.client.KeyChange;
import org.assertj.core.api.AbstractAssert;
import org.jspecify.annotations.Nullable;

/**
 * Assertions on the changes that a {@link ChangeRecorder} receives, in order. Each
 * assertion waits for the next change, up to five seconds by default, and removes it.
 *
 * @param <T> type of the values
 */
public final class ChangeRecorderAssert<T> extends AbstractAssert<ChangeRecorderAssert<T>, ChangeRecorder<T>> {

	private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(5);

	private Duration timeout = DEFAULT_TIMEOUT;

	ChangeRecorderAssert(ChangeRecorder<T> actual) {
		super(actual, ChangeRecorderAssert.class);
	}

	/**
	 * Sets how long each of the following assertions waits, in real time.
	 * @param timeout maximum wait; 5 s by default
	 * @return these assertions
	 */
	public ChangeRecorderAssert<T> within(Duration timeout) {
		this.timeout = timeout;
		return this;
	}

	/**
	 * Verifies that the next change sets its key to a value.
	 * @param expected the expected value
	 * @return these assertions
	 * @throws AssertionError if there is no change in time or the change is different
	 */
	public ChangeRecorderAssert<T> receives(T expected) {
		next("the value " + expected).isSetTo(expected);
		return this;
	}

	/**
	 * Verifies that the next change is a deletion or an expiry.
	 * @return these assertions
	 * @throws AssertionError if there is no change in time or the change is different
	 */
	public ChangeRecorderAssert<T> receivesDeletion() {
		next("a deletion").isDeletion();
		return this;
	}

	/**
	 * Verifies the next change.
	 * @param requirements assertions on the change
	 * @return these assertions
	 * @throws AssertionError if there is no change in time or the requirements fail
	 */
	public ChangeRecorderAssert<T> receivesChange(Consumer<KeyChangeAssert<T>> requirements) {
		requirements.accept(next("a change"));
		return this;
	}

	/**
	 * Verifies that no more changes have been recorded. Does not wait, so the test should
	 * first wait for something that would happen after such a change.
	 * @return these assertions
	 * @throws AssertionError if there are more changes
	 */
	public ChangeRecorderAssert<T> hasNoFurtherChanges() {
		isNotNull();
		List<KeyChange<T>> further = List.copyOf(this.actual.changes());
		if (!further.isEmpty()) {
			throw failure("Expecting no further changes, but there are%n  %s", further);
		}
		return this;
	}

	private KeyChangeAssert<T> next(String expected) {
		isNotNull();
		KeyChange<T> change = poll();
		if (change == null) {
			throw failure("Expecting the listener to receive %s, but it received nothing within %s", expected,
					this.timeout);
		}
		return new KeyChangeAssert<>(change);
	}

	private @Nullable KeyChange<T> poll() {
		try {
			return this.actual.changes().poll(this.timeout.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw failure("Interrupted while waiting for a change");
		}
	}

}
