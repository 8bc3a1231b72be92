package io.statestore.broker.faults;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Random;

import io.statestore.broker.linearizability.Operation;
import io.statestore.protocol.Command;
import io.statestore.protocol.Reply;
import org.jspecify.annotations.Nullable;

/**
 * A deliberate defect in a history. A GET returns what a leader would return that does
 * not know that it has been deposed. Shows that the checks find a single such read among
 * all requests.
 */
final class StaleRead {

	private StaleRead() {
	}

	/**
	 * Replaces a GET's reply with the value that preceded the last acknowledged change of
	 * its key.
	 * @return the changed history, {@code null} if it does not contain a suitable GET
	 */
	static @Nullable List<Operation> inject(List<Operation> history, Random random) {
		List<Operation> sets = history.stream()
			.filter((operation) -> operation.set() != null && operation.hasChanged() && operation.version() != null)
			.sorted(Comparator.comparingLong(Operation::returned))
			.toList();
		List<Integer> reads = new ArrayList<>();
		for (int i = 0; i < history.size(); i++) {
			Operation operation = history.get(i);
			if (operation.command() instanceof Command.Get && operation.reply() instanceof Reply.Value) {
				reads.add(i);
			}
		}
		Collections.shuffle(reads, random);
		for (int index : reads) {
			Operation read = history.get(index);
			Operation stale = secondLast(sets, read);
			if (stale != null) {
				List<Operation> result = new ArrayList<>(history);
				Command.Set set = Objects.requireNonNull(stale.set());
				result.set(index, new Operation(read.client(), read.command(), null, read.invoked(), read.returned(),
						new Reply.Value(set.value()), stale.version()));
				return result;
			}
		}
		return null;
	}

	/**
	 * Returns the second to last change that had ended when a read began, {@code null}
	 * for none.
	 */
	private static @Nullable Operation secondLast(List<Operation> sets, Operation read) {
		List<Operation> before = sets.stream()
			.filter((set) -> set.key().equals(read.key()) && set.returned() < read.invoked())
			.toList();
		if (before.size() < 2) {
			return null;
		}
		Operation last = before.get(before.size() - 1);
		Operation stale = before.get(before.size() - 2);
		return (stale.returned() < last.invoked()) ? stale : null;
	}

}
