package io.statestore.client.observation;

import java.util.ArrayList;
import java.util.List;

import io.statestore.client.KeyChange;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * All listeners of one key, and the writes of our own that some of them ignore. Not
 * thread-safe.
 */
final class Subscribers {

	private final List<Subscriber> subscribers = new ArrayList<>();

	private final OwnWrites ownWrites = new OwnWrites();

	void add(Subscriber subscriber) {
		this.subscribers.add(subscriber);
	}

	void remove(Subscriber subscriber) {
		this.subscribers.remove(subscriber);
	}

	boolean isEmpty() {
		return this.subscribers.isEmpty();
	}

	/** The observation is in place. */
	void started() {
		this.subscribers.forEach(Subscriber::started);
	}

	/** A change that is news. */
	void changed(KeyChange<Bytes> change) {
		this.subscribers.forEach((subscriber) -> subscriber.changed(change, this.ownWrites));
	}

	/** Returns whether a subscriber is still waiting for the current value. */
	boolean initialPending() {
		return this.subscribers.stream().anyMatch(Subscriber::initialPending);
	}

	/**
	 * The state of the key is known.
	 * @param current {@code null} if the key is absent
	 */
	void initial(@Nullable KeyChange<Bytes> current) {
		this.subscribers.stream()
			.filter(Subscriber::initialPending)
			.forEach((subscriber) -> subscriber.initial(current));
	}

	void ownWriteStarted(long id) {
		this.ownWrites.started(id);
	}

	/**
	 * Ends tracking a local write.
	 * @param version version of the change, {@code null} if there was none or it is
	 * unknown
	 */
	void ownWriteFinished(long id, @Nullable Version version, boolean deletion) {
		this.ownWrites.finished(id, version, deletion);
		for (Subscriber subscriber : this.subscribers) {
			if (version != null) {
				subscriber.dropOwn(this.ownWrites);
			}
			subscriber.settle(this.ownWrites);
		}
	}

	/** Handles a version after which no older changes arrive. */
	void seen(@Nullable Version version) {
		this.ownWrites.seen(version);
	}

	/** The version of a deletion of ours that was not seen, asked for once. */
	@Nullable Version takeLastDeletion() {
		Version version = this.ownWrites.lastDeletion();
		forgetLastDeletion();
		return version;
	}

	/** A deletion up to now explains nothing that is found out later. */
	void forgetLastDeletion() {
		this.ownWrites.forgetLastDeletion();
	}

}
