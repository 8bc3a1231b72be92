package io.statestore.test;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

/**
 * Rule against source files that depend on each other in a cycle. Two files may do so,
 * such as a builder and what it builds; a nested class counts as part of its file.
 * <p>
 * A cycle is a strongly connected component of the graph of files, found by the algorithm
 * of Tarjan, "Depth-first search and linear graph algorithms", SIAM Journal on Computing
 * 1(2), 1972.
 */
public final class FileCycles extends ArchCondition<JavaClass> {

	private static final int MAX_FILES = 2;

	/** Names of the files that each file depends on. */
	private final Map<String, Set<String>> graph = new TreeMap<>();

	private FileCycles() {
		super("not be in a cycle of more than %d files", MAX_FILES);
	}

	/**
	 * Returns a rule that more than two files of some packages form no cycle.
	 * @param packages package identifiers of ArchUnit, such as
	 * {@code io.statestore.client..}
	 * @return the rule
	 */
	public static ArchRule noCycleOfMoreThanTwoFiles(String... packages) {
		return classes().that().resideInAnyPackage(packages).should(new FileCycles());
	}

	@Override
	public void init(Collection<JavaClass> classes) {
		this.graph.clear();
		classes.forEach((type) -> this.graph.put(file(type), new TreeSet<>()));
	}

	@Override
	public void check(JavaClass type, ConditionEvents events) {
		String file = file(type);
		type.getDirectDependenciesFromSelf()
			.stream()
			.map((dependency) -> file(dependency.getTargetClass().getBaseComponentType()))
			.filter((target) -> !target.equals(file) && this.graph.containsKey(target))
			.forEach((target) -> this.graph.computeIfAbsent(file, (name) -> new TreeSet<>()).add(target));
	}

	@Override
	public void finish(ConditionEvents events) {
		for (Set<String> files : new Components(this.graph).find()) {
			if (files.size() > MAX_FILES) {
				events.add(SimpleConditionEvent.violated(files, describe(files)));
			}
		}
	}

	private String describe(Set<String> files) {
		return files.size() + " files depend on each other:"
				+ files.stream()
					.map((file) -> "\n    " + file + " -> "
							+ this.graph.getOrDefault(file, Set.of())
								.stream()
								.filter(files::contains)
								.collect(Collectors.joining(", ")))
					.collect(Collectors.joining());
	}

	private static String file(JavaClass type) {
		JavaClass outermost = type;
		while (outermost.getEnclosingClass().isPresent()) {
			outermost = outermost.getEnclosingClass().get();
		}
		return outermost.getName();
	}

	/** Finds the strongly connected components of a graph. */
	private static final class Components {

		private final Map<String, Set<String>> graph;

		/** Order in which the nodes were reached. */
		private final Map<String, Integer> indexes = new HashMap<>();

		/** Smallest index known to be reachable from a node. */
		private final Map<String, Integer> lowLinks = new HashMap<>();

		/** Nodes whose component is not complete. */
		private final Deque<String> stack = new ArrayDeque<>();

		private final Set<String> onStack = new HashSet<>();

		private final List<Set<String>> found = new ArrayList<>();

		Components(Map<String, Set<String>> graph) {
			this.graph = graph;
		}

		List<Set<String>> find() {
			for (String node : this.graph.keySet()) {
				if (!this.indexes.containsKey(node)) {
					visit(node);
				}
			}
			return this.found;
		}

		private void visit(String node) {
			int index = this.indexes.size();
			this.indexes.put(node, index);
			this.lowLinks.put(node, index);
			this.stack.push(node);
			this.onStack.add(node);
			for (String target : this.graph.getOrDefault(node, Set.of())) {
				if (!this.indexes.containsKey(target)) {
					visit(target);
					this.lowLinks.merge(node, this.lowLinks.get(target), Math::min);
				}
				else if (this.onStack.contains(target)) {
					this.lowLinks.merge(node, this.indexes.get(target), Math::min);
				}
			}
			if (this.lowLinks.get(node) == index) {
				this.found.add(popUntil(node));
			}
		}

		private Set<String> popUntil(String root) {
			Set<String> component = new TreeSet<>();
			String node;
			do {
				node = this.stack.pop();
				this.onStack.remove(node);
				component.add(node);
			}
			while (!node.equals(root));
			return component;
		}

	}

}
