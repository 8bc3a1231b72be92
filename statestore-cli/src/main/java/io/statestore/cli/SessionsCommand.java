package io.statestore.cli;

import java.time.Duration;

import io.statestore.client.mqtt.AdministrationClient;
import io.statestore.protocol.AdministrationPage;
import io.statestore.protocol.SessionQuery;
import io.statestore.protocol.StoredSession;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Command {@code statestore sessions}: lists the MQTT sessions of a broker. */
@Command(name = "sessions", subcommands = SessionsEndCommand.class,
		description = "Lists the MQTT sessions that the broker keeps without a connection, or that have a will. Needs a "
				+ "broker of this project that authorizes the request.")
final class SessionsCommand extends StoreCommand {

	/**
	 * Timeout of a request. A broker answers within milliseconds, or when its disk does.
	 */
	static final Duration TIMEOUT = Duration.ofSeconds(5);

	@Option(names = "--of-user", paramLabel = "<name>", description = "List only the sessions of this user")
	private @Nullable String user;

	@Mixin
	private final OutputOptions output = new OutputOptions();

	@Override
	int run(Session session) {
		AdministrationClient administration = session.administration();
		try (RecordWriter records = this.output.records("client", "user", "connected", "expires", "subscriptions",
				"queued", "size")) {
			String token = null;
			do {
				AdministrationPage<StoredSession> page = Session.await(
						administration.sessions(new SessionQuery(token), TIMEOUT), ExitCodes.NO_CONNECTION,
						"Check that the server is a broker of this project");
				page.items()
					.stream()
					.filter((each) -> this.user == null || this.user.equals(each.principal()))
					.forEach((each) -> write(records, each));
				token = page.token();
			}
			while (token != null);
		}
		return ExitCodes.OK;
	}

	private static void write(RecordWriter records, StoredSession session) {
		Duration remaining = session.remaining();
		records.write(session.client(), session.principal(), session.connected(),
				(remaining != null) ? remaining.toMillis() / 1000.0 : null, session.subscriptionCount(),
				session.queuedCount(), session.bytes());
	}

}
