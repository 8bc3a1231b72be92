package io.statestore.broker.standalone;

import io.statestore.protocol.ProtocolDialect;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Command that runs a server. Has the options that the broker and the gateway share. */
abstract class ServingCommand extends ServerCommand {

	@Mixin
	final DataOptions data = new DataOptions();

	@Mixin
	final NodeOptions node = new NodeOptions();

	@Mixin
	final ReadyOptions ready = new ReadyOptions();

	@Mixin
	final LimitOptions limits = new LimitOptions();

	@Option(names = "--protocol-dialect", paramLabel = "<dialect>", defaultValue = "CLIENTS",
			description = "Protocol dialect: CLIENTS, as the official clients expect it, or SPECIFICATION, as "
					+ "published, which also accepts requests in the form that the articles show (default: "
					+ "${DEFAULT-VALUE})")
	ProtocolDialect protocolDialect = ProtocolDialect.CLIENTS;

	private final int exitCodeOfStop;

	/**
	 * Creates a command.
	 * @param exitCodeOfStop the exit code if the server stops without an error or signal
	 */
	ServingCommand(int exitCodeOfStop) {
		this.exitCodeOfStop = exitCodeOfStop;
	}

	@Override
	final int run() {
		ServerProcess process;
		try {
			process = start();
		}
		catch (Error ex) {
			// Return an exit code, because the server's threads could otherwise keep the
			// process alive.
			ex.printStackTrace(errors());
			return FAILED;
		}
		return process.run(this.ready, this.exitCodeOfStop);
	}

	abstract ServerProcess start();

}
