package io.statestore.cli;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.statestore.client.mqtt.internal.AdministrationClient;
import io.statestore.client.mqtt.internal.AdministrationClient.AdministrationUnavailableException;
import io.statestore.protocol.SessionEnd;
import io.statestore.protocol.SessionQuery;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Command {@code statestore sessions}: lists a broker's MQTT sessions. */
@Command(name = "sessions", subcommands = SessionsCommand.End.class,
		description = "Lists the MQTT sessions that outlive their connection or have a will. Requires this project's "
				+ "broker and the right to administer it.")
final class SessionsCommand extends ResultCommand {

	/**
	 * Request timeout. A broker answers within milliseconds, or as fast as its disk
	 * permits.
	 */
	static final Duration TIMEOUT = Duration.ofSeconds(5);

	@Option(names = "--of-user", paramLabel = "<name>", description = "List only this user's sessions")
	private @Nullable String user;

	@Override
	int run(Session session) {
		AdministrationClient administration = session.administration();
		return list("client user connected expires subscriptions queued size", (records) -> Session
			.forEachItem((token) -> administration.sessions(new SessionQuery(token), TIMEOUT), (each) -> {
				if (this.user == null || this.user.equals(each.principal())) {
					records.write(each.client(), each.principal(), each.connected(), Texts.seconds(each.remaining()),
							each.subscriptionCount(), each.queuedCount(), each.bytes());
				}
			}));
	}

	/** Command {@code statestore sessions end}: ends MQTT sessions. */
	@Command(name = "end", description = "Ends clients' MQTT sessions, including their subscriptions and queued "
			+ "messages. Publishes their wills and disconnects the clients, which can reconnect.")
	static final class End extends ResultCommand {

		@Parameters(arity = "1..*", paramLabel = "<client>", description = "MQTT client IDs")
		private List<String> clients = List.of();

		@Override
		void validate() {
			CliException.require(!this.clients.contains(""), "Invalid <client>: the client id is empty");
		}

		@Override
		int run(Session session) {
			AtomicInteger exitCode = new AtomicInteger(ExitCodes.OK);
			list("client ended", (records) -> this.clients.forEach((client) -> {
				boolean ended = end(session.administration(), client);
				records.write(client, ended);
				if (!ended) {
					exitCode.set(notMet("Client '" + client + "' has no session; nothing was changed for it"));
				}
			}));
			return exitCode.get();
		}

		private static boolean end(AdministrationClient administration, String client) {
			try {
				return Session.await(administration.endSession(new SessionEnd(client), TIMEOUT));
			}
			catch (AdministrationUnavailableException ex) {
				throw new CliException(ExitCodes.OUTCOME_UNKNOWN, ex.getMessage() + ". The session of client '" + client
						+ "' may have ended; see 'statestore sessions'");
			}
		}

	}

}
