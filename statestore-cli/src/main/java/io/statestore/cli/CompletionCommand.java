package io.statestore.cli;

import java.util.concurrent.Callable;

import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Command {@code statestore completion}: prints a shell completion script. */
@Command(name = "completion", mixinStandardHelpOptions = true,
		description = "Prints a completion script for bash and zsh. Load it with 'source <(statestore completion)'.")
final class CompletionCommand implements Callable<Integer> {

	@Spec
	@SuppressWarnings("NullAway.Init")
	private CommandSpec spec;

	@Override
	public Integer call() {
		Environment environment = Environment.of(this.spec);
		environment.out().print(AutoComplete.bash("statestore", StateStoreCli.commandLine(environment)));
		return ExitCodes.OK;
	}

}
