package io.statestore.cli;

import java.time.Duration;

import io.statestore.client.Key;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreRefusedException;
import io.statestore.client.StateStoreTemplate;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.ErrorReason;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Command {@code statestore info}: describes the connection and the server. */
@Command(name = "info",
		description = "Shows whether and how fast a state store answers, what it supports, and how far its clock "
				+ "differs. To read the clock, the command sets and deletes a separate key.")
final class InfoCommand extends ResultCommand {

	private static final int ROUND_TRIPS = 20;

	/** Expiry of the key, in case the command is killed before deleting it. */
	private static final Duration EXPIRY = Duration.ofSeconds(10);

	@Option(names = "--read-only", description = "Do not set a key, and omit the clock difference")
	private boolean readOnly;

	@Override
	int run(Session session) {
		StateStoreTemplate template = session.template();
		Key key = Key.of("statestore-cli/info/" + session.connection().getClientId());
		double connected = Latencies.millis(roundTrip(template, key));
		Latencies roundTrips = new Latencies();
		for (int i = 0; i < ROUND_TRIPS; i++) {
			roundTrips.add(roundTrip(template, key));
		}
		print("server client connectMs roundTripMs slowestMs scan" + (this.readOnly ? "" : " clockLeadMs"),
				session.connection().getUrl(), session.connection().getClientId(), connected,
				Latencies.millis(roundTrips.percentile(0.5)), Latencies.millis(roundTrips.max()),
				supportsScan(template, key), this.readOnly ? null : clockLead(session, template, key));
		return ExitCodes.OK;
	}

	private static long roundTrip(StateStoreTemplate template, Key key) {
		long sent = System.nanoTime();
		template.get(key, Bytes.class);
		return System.nanoTime() - sent;
	}

	/** Returns whether the server supports SCAN; {@code null} if unknown. */
	private static @Nullable Boolean supportsScan(StateStoreTemplate template, Key key) {
		try {
			template.scan(key.toString()).iterator().hasNext();
			return true;
		}
		catch (StateStoreRefusedException ex) {
			return (ex.reason() == ErrorReason.UNKNOWN_COMMAND) ? Boolean.FALSE : null;
		}
	}

	/**
	 * Returns how far the server's clock is ahead; {@code null} if this client is not
	 * permitted to set a key.
	 */
	private static @Nullable Long clockLead(Session session, StateStoreTemplate template, Key key) {
		try {
			template.set(key, "", (spec) -> spec.expire(EXPIRY));
			template.delete(key);
		}
		catch (StateStoreException ex) {
			return null;
		}
		return session.connection().clockOffset().map(Duration::toMillis).orElse(null);
	}

}
