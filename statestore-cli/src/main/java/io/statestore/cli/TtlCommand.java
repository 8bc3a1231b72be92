package io.statestore.cli;

import java.time.Duration;

import io.statestore.client.Key;
import io.statestore.client.StateStoreTemplate;
import picocli.CommandLine.Command;

/** Command {@code statestore ttl}: prints when a key expires. */
@Command(name = "ttl", description = "Prints how many seconds remain until a key expires.")
final class TtlCommand extends KeyCommand {

	@Override
	int run(Session session, Key key) {
		StateStoreTemplate template = session.template();
		Duration left = template.timeToLive(key).orElse(null);
		print("key ttl", key, Texts.seconds(left));
		return (left != null) ? ExitCodes.OK
				: notMet("Key " + key + (template.exists(key) ? " never expires" : " does not exist"));
	}

}
