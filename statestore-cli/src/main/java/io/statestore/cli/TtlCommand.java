package io.statestore.cli;

import java.time.Duration;

import io.statestore.client.CommandInvoker.Options;
import io.statestore.client.Key;
import io.statestore.protocol.Command.Ttl;
import io.statestore.protocol.Reply;
import picocli.CommandLine.Command;

/** Command {@code statestore ttl}: prints when a key expires. */
@Command(name = "ttl", description = "Prints how many seconds remain until a key expires.")
final class TtlCommand extends KeyCommand {

	@Override
	int run(Session session, Key key) {
		Reply reply = Session.await(session.connection().invoke(new Ttl(key.bytes()), Options.DEFAULT)).reply();
		Duration left = (reply instanceof Reply.Count count && count.number() >= 0) ? Duration.ofMillis(count.number())
				: null;
		print("key ttl", key, Versions.seconds(left));
		return (left != null) ? ExitCodes.OK
				: notMet("Key " + key + ((reply instanceof Reply.Missing) ? " does not exist" : " never expires"));
	}

}
