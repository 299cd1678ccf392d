import { flagShape, mapping, pairsShape, textShape } from './service-shapes.ts';
import { sameShape, type Shapes } from './shape.ts';

/** Types of the fields that do not belong to a service. */
export const projectShapes: Shapes = {
  ...sameShape(
    textShape,
    `configs.*.content configs.*.environment configs.*.file name networks.*.driver networks.*.external.name
    networks.*.ipam.config[].gateway networks.*.ipam.config[].ip_range networks.*.ipam.config[].subnet
    networks.*.ipam.driver networks.*.name secrets.*.environment secrets.*.file version volumes.*.driver volumes.*.external.name volumes.*.name`,
  ),
  ...sameShape({ is: ['flag', 'text', 'mapping'] }, 'networks.*.external volumes.*.external'),
  ...sameShape(flagShape, 'networks.*.internal'),
  ...sameShape(pairsShape, 'networks.*.labels volumes.*.labels'),
  ...sameShape(mapping, 'configs.* networks.*.ipam secrets.*'),
  'networks.*.ipam.config': { is: ['list'], items: ['mapping'] },
  ...sameShape({ is: ['mapping', 'nothing'] }, 'networks.* volumes.*'),
  ...sameShape({ is: ['mapping'], values: ['mapping', 'nothing'] }, 'networks volumes'),
  ...sameShape({ is: ['mapping'], values: ['mapping'] }, 'configs secrets services'),
  'volumes.*.driver_opts': { is: ['mapping'], values: ['number', 'text'] },
};
