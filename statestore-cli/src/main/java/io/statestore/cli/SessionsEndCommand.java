package io.statestore.cli;

import java.util.List;

import io.statestore.client.mqtt.AdministrationClient;
import io.statestore.protocol.SessionEnd;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Command {@code statestore sessions end}: ends MQTT sessions. */
@Command(name = "end", description = "Ends the MQTT sessions of clients with their subscriptions and queued messages, "
		+ "publishes their wills, and disconnects the clients, which may connect again.")
final class SessionsEndCommand extends StoreCommand {

	@Parameters(arity = "1..*", paramLabel = "<client>", description = "MQTT client ids")
	private List<String> clients = List.of();

	@Mixin
	private final OutputOptions output = new OutputOptions();

	@Override
	void validate() {
		if (this.clients.contains("")) {
			throw new CliException(ExitCodes.USAGE, "Invalid <client>: the client id is empty");
		}
	}

	@Override
	int run(Session session) {
		AdministrationClient administration = session.administration();
		int exitCode = ExitCodes.OK;
		try (RecordWriter records = this.output.records("client", "ended")) {
			for (String client : this.clients) {
				boolean ended = Session.await(
						administration.endSession(new SessionEnd(client), SessionsCommand.TIMEOUT),
						ExitCodes.OUTCOME_UNKNOWN,
						"The session of client '" + client + "' may have ended; see 'statestore sessions'");
				records.write(client, ended);
				if (!ended) {
					message("Client '" + client + "' has no session; nothing was changed for it");
					exitCode = ExitCodes.NOT_MET;
				}
			}
		}
		return exitCode;
	}

}
