package io.statestore.cli;

import java.util.concurrent.Callable;

import picocli.AutoComplete;
import picocli.CommandLine.Command;

/** Command {@code statestore completion}: prints a shell completion script. */
@Command(name = "completion", mixinStandardHelpOptions = true,
		description = "Prints a completion script for bash and zsh. Load it with 'source <(statestore completion)'.")
record CompletionCommand(Environment environment) implements Callable<Integer> {

	@Override
	public Integer call() {
		this.environment.out().print(AutoComplete.bash("statestore", StateStoreCli.commandLine(this.environment)));
		return ExitCodes.OK;
	}

}
