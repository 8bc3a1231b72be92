package io.statestore.client.mqtt.internal;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.statestore.client.mqtt.BrokerAddress;
import io.statestore.client.mqtt.ConnectionOptions;
import org.jspecify.annotations.Nullable;

/** Latest failure of each host during an outage. Not thread-safe. */
final class HostFailures {

	private final ConnectionOptions options;

	private final Map<BrokerAddress, Failure> failures = new HashMap<>();

	HostFailures(ConnectionOptions options) {
		this.options = options;
	}

	void clear() {
		this.failures.clear();
	}

	/**
	 * Adds the loss of a connection.
	 * @param nextStep what to do, or {@code null} if that is only to wait
	 */
	void lost(BrokerAddress host, String cause, @Nullable String nextStep) {
		add(host, cause, (nextStep != null) ? nextStep : "", true);
	}

	/**
	 * Adds a failed attempt to connect.
	 * @param nextStep what to do, empty if the cause contains it
	 */
	void failed(BrokerAddress host, String cause, String nextStep) {
		add(host, cause, nextStep, false);
	}

	private void add(BrokerAddress host, String cause, String nextStep, boolean lost) {
		String shown = this.options.hosts().size() > 1 ? host + ": " + cause : cause;
		this.failures.put(host, new Failure(host, shown, nextStep, lost));
	}

	/** Returns the causes, and then what to do, as the end of a sentence. */
	String describe() {
		String nextSteps = inOrder().map(Failure::nextStep)
			.filter((nextStep) -> !nextStep.isEmpty())
			.distinct()
			.collect(Collectors.joining(" "));
		boolean onlyWait = nextSteps.isEmpty() && inOrder().allMatch(Failure::lost);
		return " (" + causes(inOrder()) + "). " + (onlyWait ? "The client keeps connecting." : nextSteps);
	}

	/**
	 * Returns the hosts that did not accept a connection, as the end of a sentence, empty
	 * if there are none.
	 * @param connected the host that did
	 */
	String describeOthers(BrokerAddress connected) {
		String others = causes(inOrder().filter((failure) -> !failure.host.equals(connected) && !failure.lost));
		return others.isEmpty() ? "" : "; no connection to " + others;
	}

	/** Returns the failures in the order of the hosts in the options. */
	private Stream<Failure> inOrder() {
		return this.options.hosts().stream().map(this.failures::get).filter(Objects::nonNull);
	}

	private static String causes(Stream<Failure> failures) {
		return failures.map(Failure::cause).collect(Collectors.joining("; "));
	}

	/**
	 * A failure of a host.
	 *
	 * @param cause the cause, which begins with the host if there are several
	 * @param nextStep what to do, may be empty
	 * @param lost whether a connection was lost, and not an attempt to connect
	 */
	private record Failure(BrokerAddress host, String cause, String nextStep, boolean lost) {
	}

}
