# A plan for a text.
server "repartee serve --listen tcp://127.0.0.1:7000"
cat >plan.yaml <<'END'
name: echo
agents: {service: "json-rpc+tcp://127.0.0.1:7000"}
steps:
  - {name: back, agent: service, skill: echo, input: ["${input}"]}
END
