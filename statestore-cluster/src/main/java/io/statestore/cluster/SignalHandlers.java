package io.statestore.cluster;

import com.alipay.sofa.jraft.core.NodeImpl;
import sun.misc.Signal;
import sun.misc.SignalHandler;

/**
 * Preserves the process's signal handlers. When JRaft's classes are loaded, it replaces
 * the SIGUSR2 handler with a handler that writes files to the working directory. The JVM
 * itself uses this signal, to suspend threads for Flight Recorder.
 */
final class SignalHandlers {

	static {
		restoreAfterLoading();
	}

	private SignalHandlers() {
	}

	/** Loads JRaft's classes once, and preserves the signal handlers. */
	static void keep() {
		// The static initializer does this.
	}

	private static void restoreAfterLoading() {
		try {
			Signal signal = new Signal("USR2");
			SignalHandler previous = Signal.handle(signal, SignalHandler.SIG_IGN);
			try {
				Class.forName(NodeImpl.class.getName());
			}
			finally {
				Signal.handle(signal, previous);
			}
		}
		catch (ClassNotFoundException | LinkageError | IllegalArgumentException ex) {
			// The system does not have this signal, or the JVM does not permit a handler.
		}
	}

}
