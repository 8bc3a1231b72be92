package io.statestore.cluster;

import com.alipay.sofa.jraft.core.NodeImpl;
import sun.misc.Signal;
import sun.misc.SignalHandler;

/**
 * Keeps the signal handlers of the process. JRaft replaces that of SIGUSR2 when its class
 * is loaded, by one that writes files to the working directory. The JVM itself uses the
 * signal, to suspend threads for Flight Recorder.
 */
final class SignalHandlers {

	static {
		restoreAfterLoading();
	}

	private SignalHandlers() {
	}

	/** Loads the classes of JRaft once, and keeps the signal handlers. */
	static void keep() {
		// The static initializer does so.
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
			// The system has no such signal, or the JVM permits no handler.
		}
	}

}
