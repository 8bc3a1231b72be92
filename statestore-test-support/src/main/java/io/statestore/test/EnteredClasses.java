package io.statestore.test;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

import com.sun.jdi.Bootstrap;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.AttachingConnector;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.connect.IllegalConnectorArgumentsException;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventQueue;
import com.sun.jdi.event.MethodEntryEvent;
import com.sun.jdi.event.VMDisconnectEvent;
import com.sun.jdi.request.EventRequest;
import com.sun.jdi.request.MethodEntryRequest;

/**
 * Determines which of the project's classes an operation enters, by debugging a program
 * that executes it. Lambdas count toward the class that contains them.
 */
public final class EnteredClasses {

	/** Periodic work does not happen during all of them. */
	private static final int RUNS = 5;

	private static final String READY = "The operation is next";

	private EnteredClasses() {
	}

	/**
	 * Runs a program with the current class path.
	 * @param program class whose {@code main} method calls {@link #trace}
	 * @param threads selects the threads that belong to the operation, by name
	 * @param arguments program arguments
	 * @return names of the non-test classes whose methods each run of the operation
	 * entered
	 * @throws Exception if the program cannot be started or ends early
	 */
	public static Set<String> of(Class<?> program, Predicate<String> threads, Object... arguments) throws Exception {
		try (JavaProcess process = JavaProcess.of(program)
			.options("-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0")
			.arguments(arguments)
			.start()) {
			VirtualMachine machine = attach(process.await("^Listening for transport .* (\\d+)$").group(1));
			process.await('^' + READY + '$');
			request(machine, "io.statestore.*", "io.statestore.test.*", program.getName() + '*').enable();
			request(machine, EnteredClasses.class.getName()).enable();
			process.write("");
			return classes(machine.eventQueue(), threads);
		}
	}

	private static VirtualMachine attach(String port) throws IOException, IllegalConnectorArgumentsException {
		AttachingConnector connector = Bootstrap.virtualMachineManager()
			.attachingConnectors()
			.stream()
			.filter((candidate) -> candidate.transport().name().equals("dt_socket"))
			.findFirst()
			.orElseThrow();
		Map<String, Connector.Argument> arguments = connector.defaultArguments();
		Objects.requireNonNull(arguments.get("hostname")).setValue("127.0.0.1");
		Objects.requireNonNull(arguments.get("port")).setValue(port);
		return connector.attach(arguments);
	}

	private static MethodEntryRequest request(VirtualMachine machine, String included, String... excluded) {
		MethodEntryRequest entries = machine.eventRequestManager().createMethodEntryRequest();
		entries.addClassFilter(included);
		List.of(excluded).forEach(entries::addClassExclusionFilter);
		entries.setSuspendPolicy(EventRequest.SUSPEND_NONE);
		return entries;
	}

	private static Set<String> classes(EventQueue queue, Predicate<String> threads)
			throws IOException, InterruptedException {
		Set<String> classes = new TreeSet<>();
		List<Set<String>> runs = new ArrayList<>();
		while (true) {
			for (Event event : queue.remove()) {
				if (event instanceof VMDisconnectEvent) {
					throw new IOException("The program has ended early");
				}
				if (event instanceof MethodEntryEvent entry) {
					String name = entry.location().declaringType().name();
					if (name.equals(EnteredClasses.class.getName())) {
						runs.add(Set.copyOf(classes));
						classes.clear();
						if (runs.size() == RUNS) {
							classes.addAll(runs.get(0));
							runs.forEach(classes::retainAll);
							return classes;
						}
					}
					else if (threads.test(entry.thread().name()) && !name.contains("$$Lambda")) {
						classes.add(name);
					}
				}
			}
		}
	}

	/**
	 * Executes the operation several times. Called by the debugged program, which ends
	 * afterward.
	 * @param operation operation to trace
	 * @throws Exception if the operation fails
	 */
	public static void trace(Operation operation) throws Exception {
		System.out.println('\n' + READY);
		System.in.read();
		for (int i = 0; i < RUNS; i++) {
			operation.run();
			completed();
		}
		System.in.read();
	}

	private static void completed() {
		// Does nothing: the debugger notices the call.
	}

	/** Operation to trace. */
	@FunctionalInterface
	public interface Operation {

		/**
		 * Executes the operation.
		 * @throws Exception if the operation fails
		 */
		void run() throws Exception;

	}

}
