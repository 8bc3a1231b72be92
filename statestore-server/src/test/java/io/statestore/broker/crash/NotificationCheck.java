package io.statestore.broker.crash;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;

import io.statestore.broker.linearizability.Operation;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;

/**
 * Checks that each connection is notified of each change of a key once, in version order.
 * Notifications may be missing before the first and after the last notification that
 * arrived.
 */
final class NotificationCheck {

	private final Map<Bytes, List<Version>> changes;

	private final List<Notified> notifications;

	private final BiConsumer<Check, Object> violations;

	NotificationCheck(List<Operation> operations, List<Notified> notifications, BiConsumer<Check, Object> violations) {
		this.changes = operations.stream()
			.filter(Operation::hasChanged)
			.collect(Collectors.groupingBy(Operation::key, Collectors
				.mapping((operation) -> Objects.requireNonNull(operation.version()), Collectors.toList())));
		this.notifications = notifications;
		this.violations = violations;
	}

	void run() {
		this.notifications.stream()
			.collect(Collectors.groupingBy((notified) -> List.of(notified.connection(), notified.key())))
			.values()
			.forEach(this::check);
	}

	/** Checks a key's notifications on a connection. */
	private void check(List<Notified> received) {
		String place = received.get(0).key().toUtf8() + " on " + received.get(0).connection();
		TreeSet<Version> versions = new TreeSet<>();
		for (Notified notified : received) {
			if (!versions.isEmpty() && notified.version().compareTo(versions.last()) <= 0) {
				this.violations.accept(Check.REPEATED_VERSIONS,
						place + ": " + notified.version() + " after " + versions.last());
			}
			versions.add(notified.version());
		}
		this.changes.getOrDefault(received.get(0).key(), List.of())
			.stream()
			.filter((version) -> version.compareTo(versions.first()) > 0 && version.compareTo(versions.last()) < 0)
			.filter((version) -> !versions.contains(version))
			.forEach((version) -> this.violations.accept(Check.MISSED_NOTIFICATIONS, place + ": " + version));
	}

}
