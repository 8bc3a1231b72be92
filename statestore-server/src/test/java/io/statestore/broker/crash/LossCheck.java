package io.statestore.broker.crash;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;

import io.statestore.broker.linearizability.Operation;
import io.statestore.protocol.Command;
import io.statestore.protocol.Command.Condition;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Finds acknowledged changes that a later GET contradicts, and early expiries.
 */
final class LossCheck {

	private static final Comparator<Operation> BY_VERSION = Comparator.comparing(LossCheck::version);

	private final List<Operation> operations;

	private final BiConsumer<Check, Object> violations;

	LossCheck(List<Operation> operations, BiConsumer<Check, Object> violations) {
		this.operations = operations;
		this.violations = violations;
	}

	void run() {
		this.operations.stream().collect(Collectors.groupingBy(Operation::key)).values().forEach((ofKey) -> {
			checkReads(ofKey);
			checkGrants(ofKey);
		});
	}

	private void checkReads(List<Operation> ofKey) {
		List<Operation> changes = changes(ofKey, Comparator.comparingLong(Operation::returned));
		List<Operation> reads = ofKey.stream()
			.filter((operation) -> operation.command() instanceof Command.Get && operation.hasEnded())
			.sorted(Comparator.comparingLong(Operation::invoked))
			.toList();
		List<Operation> removals = ofKey.stream().filter(LossCheck::canRemove).toList();
		Set<Operation> lost = new HashSet<>();
		Operation latest = null;
		int next = 0;
		for (Operation read : reads) {
			while (next < changes.size() && changes.get(next).returned() <= read.invoked()) {
				Operation change = changes.get(next++);
				latest = (latest == null || BY_VERSION.compare(latest, change) < 0) ? change : latest;
			}
			Check violated = (latest != null) ? contradiction(latest, read, removals) : null;
			if (violated != null && lost.add(latest)) {
				this.violations.accept(violated, latest + ", but then " + read);
			}
		}
	}

	/**
	 * Returns the violated check, {@code null} for none. The read was sent after the
	 * change was acknowledged.
	 */
	private static @Nullable Check contradiction(Operation change, Operation read, List<Operation> removals) {
		if (read.reply() instanceof Reply.Value) {
			return (BY_VERSION.compare(read, change) < 0) ? Check.LOST_WRITES : null;
		}
		Command.Set set = change.set();
		boolean explained = !((Command.Write) change.command()).stores() || earliestExpiry(change) <= read.returned()
				|| removals.stream().anyMatch((removal) -> explains(removal, change, read));
		if (explained) {
			return null;
		}
		return (set != null && set.expiry() != null) ? Check.EARLY_EXPIRY : Check.LOST_WRITES;
	}

	private static boolean canRemove(Operation operation) {
		boolean maybe = operation.hasChanged() || !operation.hasEnded();
		Command.Set set = operation.set();
		return operation.command() instanceof Command.Write write && maybe
				&& (!write.stores() || (set != null && set.expiry() != null));
	}

	/** Returns whether a deletion or expiry can explain that a changed key is absent. */
	private static boolean explains(Operation removal, Operation change, Operation read) {
		long removed = (removal.set() != null) ? earliestExpiry(removal) : removal.invoked();
		boolean later = removal.hasEnded() ? BY_VERSION.compare(removal, change) > 0
				: removal.returned() >= change.invoked();
		return (later || keepsExpiry(change, removal)) && removed <= read.returned();
	}

	/** Returns whether a change may have kept the expiry of an earlier one. */
	private static boolean keepsExpiry(Operation change, Operation earlier) {
		Command.Set set = change.set();
		return set != null && set.condition() == Condition.IF_VERSION && set.expiry() == null && earlier.set() != null;
	}

	/**
	 * Checks that keys granted under a condition were absent, because they were deleted
	 * or had expired in time.
	 */
	private void checkGrants(List<Operation> ofKey) {
		List<Operation> changes = changes(ofKey, BY_VERSION);
		List<Operation> unknown = ofKey.stream().filter((operation) -> !operation.hasEnded()).toList();
		for (int i = 1; i < changes.size(); i++) {
			Operation grant = changes.get(i);
			Command.Set granted = grant.set();
			Command.Set before = changes.get(i - 1).set();
			if (granted != null && before != null && granted.condition() != Condition.ALWAYS
					&& granted.condition() != Condition.IF_VERSION && !granted.value().equals(before.value())
					&& before.expiry() != null && grant.returned() < earliestExpiry(changes.get(i - 1))
					&& unknown.stream().noneMatch((operation) -> operation.invoked() < grant.returned())) {
				this.violations.accept(Check.EARLY_EXPIRY, changes.get(i - 1) + ", but then " + grant);
			}
		}
	}

	private static List<Operation> changes(List<Operation> ofKey, Comparator<Operation> order) {
		List<Operation> changes = new ArrayList<>(ofKey);
		changes.removeIf((operation) -> !operation.hasChanged());
		changes.sort(order);
		return changes;
	}

	private static long earliestExpiry(Operation operation) {
		Command.Set set = operation.set();
		return (set == null || set.expiry() == null) ? Operation.NEVER : operation.invoked() + set.expiry().toNanos();
	}

	private static Version version(Operation operation) {
		return Objects.requireNonNull(operation.version());
	}

}
