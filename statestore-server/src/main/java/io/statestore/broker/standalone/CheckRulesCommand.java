package io.statestore.broker.standalone;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;

import io.statestore.broker.mqtt.TopicDecision;
import io.statestore.broker.security.Client;
import io.statestore.broker.security.ClientPrincipal;
import io.statestore.broker.security.RulesFile;
import io.statestore.broker.security.RuleAction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Command that explains a rules file's decisions. */
@Command(name = "check-rules",
		description = "Explains which actions on a key, topic, or client ID a rules file permits for a user.",
		exitCodeList = { "0:reading and writing are permitted, or connecting", "1:one of them is denied, or both",
				"2:invalid option, or invalid rules" })
final class CheckRulesCommand extends ServerCommand {

	@Option(names = "--rules", paramLabel = "<file>", required = true, description = "File with the rules")
	@SuppressWarnings("NullAway.Init")
	private Path rules;

	@Option(names = "--client-id", paramLabel = "<id>",
			description = "MQTT client ID, for rules with {clientId} (default: rules with {clientId} do not match)")
	private String clientId = "";

	@Option(names = "--topic", description = "Check a topic or a topic filter instead of a key")
	private boolean topic;

	@Option(names = "--connect", description = "Check whether the user may connect with a client ID")
	private boolean connect;

	@Parameters(index = "0", paramLabel = "<user>",
			description = "User name, or '' for a client that has not logged in")
	private String user = "";

	@Parameters(index = "1", paramLabel = "<key>", description = "The key in UTF-8, the topic, or the client ID")
	private String what = "";

	@Override
	int run() {
		RulesFile file = RulesFile.of(this.rules);
		Client client = new Client(this.connect ? this.what : this.clientId,
				this.user.isEmpty() ? ClientPrincipal.ANONYMOUS : ClientPrincipal.of(this.user));
		PrintWriter output = output();
		if (this.connect) {
			TopicDecision decision = file.bindsClientIds() ? null
					: new TopicDecision(true, "no rule is about client ids");
			return explain(output, "connect", decision, file.permitting(client, RuleAction.CONNECT, this.what)) ? 0 : 1;
		}
		boolean read;
		boolean write;
		if (this.topic) {
			read = explain(output, "subscribe", TopicDecision.subscribe(this.clientId, this.what),
					file.permitting(client, RuleAction.SUBSCRIBE, TopicDecision.ruleFilter(this.what)));
			write = explain(output, "publish", TopicDecision.publish(this.what),
					file.permitting(client, RuleAction.PUBLISH, this.what));
		}
		else {
			read = explain(output, "read", null, file.permitting(client, RuleAction.READ, this.what));
			write = explain(output, "write", null, file.permitting(client, RuleAction.WRITE, this.what));
		}
		return (read && write) ? 0 : 1;
	}

	private boolean explain(PrintWriter output, String action, @Nullable TopicDecision decision, List<String> rules) {
		if (decision != null) {
			output.println(
					action + ": " + (decision.permitted() ? "permitted" : "denied") + ", because " + decision.reason());
			return decision.permitted();
		}
		if (rules.isEmpty()) {
			output.println(
					action + ": denied. No rule for " + subject() + " with this action matches '" + this.what + "'");
			return false;
		}
		output.println(action + ": permitted by");
		rules.forEach((rule) -> output.println("  " + rule));
		return true;
	}

	private String subject() {
		return this.user.isEmpty() ? "clients that have not logged in" : "user '" + this.user + "'";
	}

}
