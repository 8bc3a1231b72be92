package io.statestore.broker.linearizability;

import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a key's history is linearizable: whether each operation can take effect
 * at a single point in time between its invocation and its return, so that every reply is
 * explained. Operations without a reply may be left out.
 * <p>
 * Searches depth-first and skips configurations that were already tried (Wing and Gong,
 * "Testing and Verifying Concurrent Objects", 1993; Lowe, "Testing for Linearizability",
 * 2017). A key may or may not expire before an operation, so a configuration has a set of
 * possible states.
 */
public final class LinearizabilityChecker {

	/** Limits the search, so that a test fails before memory is exhausted. */
	private static final int MAX_CONFIGURATIONS = 500_000;

	private final Event ended;

	/** Calls without a reply, which are tried last. */
	private final Event open;

	/** Numbers of linearized operations that have ended. */
	private final BitSet linearized = new BitSet();

	/**
	 * Versions in the replies of operations not linearized yet, with the number of such
	 * operations.
	 */
	private final SortedMap<Version, Integer> pendingVersions = new TreeMap<>();

	private final Set<Configuration> tried = new HashSet<>();

	private final Deque<Step> steps = new ArrayDeque<>();

	private Set<KeyState> states = Set.of(KeyState.ABSENT);

	/**
	 * Latest invocation among the linearized operations, which is the time reached so
	 * far.
	 */
	private long now = Long.MIN_VALUE;

	private int mostLinearized = -1;

	private String failure = "";

	private LinearizabilityChecker(List<Operation> history) {
		Map<Boolean, List<Operation>> operations = history.stream()
			.sorted(Comparator.comparingLong(Operation::invoked))
			.collect(Collectors.partitioningBy(Operation::hasEnded));
		this.ended = Event.list(operations.get(true));
		this.open = Event.list(operations.get(false));
		history.forEach((operation) -> add(operation.version(), 1));
	}

	/**
	 * Checks the histories of several keys separately, because linearizability is a local
	 * property (Herlihy and Wing, 1990).
	 * @param history operations in any order
	 * @return an explanation for each key whose history is not linearizable
	 */
	public static Map<Bytes, String> check(List<Operation> history) {
		Map<Bytes, String> failures = new TreeMap<>();
		history.stream().collect(Collectors.groupingBy(Operation::key)).forEach((key, operations) -> {
			LinearizabilityChecker checker = new LinearizabilityChecker(operations);
			if (!checker.search()) {
				failures.put(key, checker.failure);
			}
		});
		return failures;
	}

	private boolean search() {
		Event call = this.ended.next();
		while (this.ended.next() != null) {
			if (call != null && linearize(call)) {
				if (this.tried.size() > MAX_CONFIGURATIONS) {
					this.failure = "Undecided after " + MAX_CONFIGURATIONS + " configurations. " + this.failure;
					return false;
				}
				call = this.ended.next();
			}
			else if (call != null) {
				call = after(call);
			}
			else {
				explain();
				Step last = this.steps.poll();
				if (last == null) {
					return false;
				}
				undo(last);
				call = after(last.call);
			}
		}
		return true;
	}

	/**
	 * Linearizes a call next if its reply can be explained and the resulting
	 * configuration has not been tried.
	 */
	private boolean linearize(Event call) {
		if (isTooEarly(call.operation()) || isTooLate(call)) {
			return false;
		}
		Set<KeyState> result = new HashSet<>();
		long until = firstEnd().time;
		for (KeyState state : this.states) {
			state.after(call.operation(), until, result::add);
		}
		if (result.isEmpty()) {
			return false;
		}
		Step step = new Step(call, this.states, this.now);
		apply(step, result);
		if (!this.tried.add(configuration())) {
			undo(step);
			return false;
		}
		this.steps.push(step);
		return true;
	}

	private void apply(Step step, Set<KeyState> result) {
		step.call.remove();
		if (!step.call.isOpen()) {
			this.linearized.set(step.call.index);
		}
		add(step.call.operation().version(), -1);
		this.states = result;
		this.now = Math.max(this.now, step.call.time);
	}

	private void undo(Step step) {
		this.now = step.now;
		this.states = step.states;
		add(step.call.operation().version(), 1);
		if (!step.call.isOpen()) {
			this.linearized.clear(step.call.index);
		}
		step.call.restore();
	}

	/**
	 * Returns whether another operation that is not linearized yet has an earlier version
	 * in its reply. Not required for correctness: that operation would fail later, but
	 * only after a long search.
	 */
	private boolean isTooEarly(Operation operation) {
		return operation.version() != null && operation.version().compareTo(this.pendingVersions.firstKey()) > 0;
	}

	/** Returns whether a command without a reply can no longer take effect. */
	private boolean isTooLate(Event call) {
		return call.isOpen() && call.operation().returned() < this.now;
	}

	private void add(@Nullable Version version, int count) {
		if (version != null) {
			this.pendingVersions.merge(version, count, (before, added) -> (before + added > 0) ? before + added : null);
		}
	}

	private Configuration configuration() {
		int prefix = this.linearized.nextClearBit(0);
		BitSet window = this.linearized.get(prefix, Math.max(prefix, this.linearized.length()));
		BitSet open = new BitSet();
		for (Event call = this.open.next(); call != null; call = call.next()) {
			if (!isTooLate(call)) {
				open.set(call.index);
			}
		}
		return new Configuration(prefix, window, open, this.states);
	}

	/** Returns the first end, before which the next operation takes effect. */
	private Event firstEnd() {
		Event event = this.ended;
		while (event == this.ended || !event.isEnd()) {
			event = event.nextOrFail();
		}
		return event;
	}

	/**
	 * Returns the next call that can take effect now, or {@code null} if there is none.
	 */
	private @Nullable Event after(Event call) {
		Event next = call.next();
		if (call.isOpen()) {
			return isInvoked(next) ? next : null;
		}
		if (next != null && !next.isEnd()) {
			return next;
		}
		return isInvoked(this.open.next()) ? this.open.next() : null;
	}

	private boolean isInvoked(@Nullable Event call) {
		return call != null && call.time <= firstEnd().time;
	}

	private void explain() {
		int count = this.linearized.cardinality();
		if (count > this.mostLinearized) {
			this.mostLinearized = count;
			this.failure = "No order explains the replies. Longest explained history, latest first: "
					+ this.steps.stream().limit(5).map((step) -> step.call.operation()).toList() + ", then one of "
					+ this.states + ". Not explained: " + candidates();
		}
	}

	private List<Operation> candidates() {
		return Stream.iterate(this.ended.nextOrFail(), (event) -> !event.isEnd(), Event::nextOrFail)
			.map(Event::operation)
			.toList();
	}

	/**
	 * A configuration of the search.
	 *
	 * @param prefix number of linearized operations, in invocation order, before the
	 * first operation that is not linearized
	 * @param window linearized operations after it
	 * @param open operations without a reply that can still take effect
	 * @param states possible states of the key
	 */
	private record Configuration(int prefix, BitSet window, BitSet open, Set<KeyState> states) {
	}

	/** A linearized call, with the states and the time before it. */
	private record Step(Event call, Set<KeyState> states, long now) {
	}

}
