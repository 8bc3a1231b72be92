package io.statestore.cli;

import java.time.Duration;

import io.statestore.client.Key;
import picocli.CommandLine.Command;

/** Command {@code statestore ttl}: prints when a key expires. */
@Command(name = "ttl", description = "Prints the time until a key expires.")
final class TtlCommand extends KeyCommand {

	@Override
	int run(Session session, Key key) {
		Duration left = session.template().timeToLive(key).orElse(null);
		print("key ttl", key, Versions.seconds(left));
		return (left != null) ? ExitCodes.OK : notMet("Key " + key + " does not exist, or never expires");
	}

}
