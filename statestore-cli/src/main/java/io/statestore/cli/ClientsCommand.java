package io.statestore.cli;

import java.time.Instant;

import io.statestore.client.mqtt.internal.AdministrationClient;
import io.statestore.protocol.ClientQuery;
import picocli.CommandLine.Command;

/** Command {@code statestore clients}: lists connected clients. */
@Command(name = "clients", description = "Lists the connected clients and their users. Requires this project's broker "
		+ "and the right to administer it.")
final class ClientsCommand extends ResultCommand {

	@Override
	int run(Session session) {
		AdministrationClient administration = session.administration();
		return list("client user address since",
				(records) -> Session.forEachItem(
						(token) -> administration.clients(new ClientQuery(token), SessionsCommand.TIMEOUT),
						(each) -> records.write(each.client(), each.principal(), each.address(),
								Texts.time(Instant.now().minus(each.connected())))));
	}

}
