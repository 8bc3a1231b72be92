package io.statestore.sample.room;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import io.statestore.test.Browser;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What the browser provides to a screen reader. */
final class AccessibilityTree {

	/** Roles of elements that a user can operate. */
	private static final Set<String> CONTROLS = Set.of("button", "slider", "combobox", "link", "textbox", "checkbox");

	private final List<Node> nodes = new ArrayList<>();

	private AccessibilityTree() {
	}

	static AccessibilityTree of(Browser browser) {
		AccessibilityTree tree = new AccessibilityTree();
		JsonNode all = JsonMapper.shared()
			.<JsonNode>valueToTree(browser.protocol("Accessibility.getFullAXTree", Map.of()))
			.path("nodes");
		for (JsonNode node : all) {
			if (!node.path("ignored").asBoolean()) {
				JsonNode properties = node.path("properties");
				tree.nodes.add(new Node(node.at("/role/value").asString(""), node.at("/name/value").asString(""),
						node.at("/description/value").asString(""), property(properties, "live"),
						property(properties, "level")));
			}
		}
		return tree;
	}

	private static String property(JsonNode properties, String name) {
		for (JsonNode property : properties) {
			if (property.path("name").asString("").equals(name)) {
				return property.at("/value/value").asString("");
			}
		}
		return "";
	}

	Stream<Node> nodes(String role) {
		return this.nodes.stream().filter((node) -> node.role().equals(role));
	}

	List<String> names(String role) {
		return nodes(role).map(Node::name).toList();
	}

	List<Node> controls() {
		return this.nodes.stream().filter((node) -> CONTROLS.contains(node.role())).toList();
	}

	/**
	 * A node in the tree.
	 *
	 * @param role accessible role
	 * @param name accessible name
	 * @param description additional text for screen readers
	 * @param live how urgently changes are read aloud; empty if they are not
	 * @param level level of a heading
	 */
	record Node(String role, String name, String description, String live, String level) {
	}

}
