package io.statestore.broker.crash;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

import io.statestore.broker.linearizability.Operation;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Evidence that a change has taken place.
 *
 * @param key key that changed
 * @param value its new value, {@code null} if it was deleted or has expired
 * @param version version of the change
 * @param time time at which the evidence arrived
 * @param change the request that made the change, {@code null} if another client has seen
 * the change
 */
record Sighting(Bytes key, @Nullable Bytes value, Version version, long time, @Nullable Operation change) {

	/** Returns all evidence from replies and notifications, in time order. */
	static List<Sighting> all(List<Operation> operations, List<Notified> notifications) {
		List<Sighting> result = new ArrayList<>();
		for (Operation operation : operations) {
			if (operation.hasChanged()) {
				result.add(new Sighting(operation.key(), operation.storedValue(),
						Objects.requireNonNull(operation.version()), operation.returned(), operation));
			}
			else if (operation.reply() instanceof Reply.Value found) {
				result.add(new Sighting(operation.key(), found.value(), Objects.requireNonNull(operation.version()),
						operation.returned(), null));
			}
		}
		for (Notified notified : notifications) {
			result.add(new Sighting(notified.key(), notified.value(), notified.version(), notified.time(), null));
		}
		result.sort(Comparator.comparingLong(Sighting::time));
		return result;
	}

	boolean hasSameContent(Sighting other) {
		return this.key.equals(other.key) && Objects.equals(this.value, other.value);
	}

	@Override
	public String toString() {
		return this.key.toUtf8() + '=' + ((this.value != null) ? this.value.toUtf8() : "(absent)") + " @" + this.version
				+ " at " + this.time + ((this.change != null) ? " by " + this.change : "");
	}

}
